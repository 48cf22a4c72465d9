// Reads stored data, which may be damaged, by the shape that it must have.
import { isServiceObject } from "./service-object";

/** A condition, a list whose items have a shape, or an object whose fields have shapes. */
export type Shape = ((value: unknown) => boolean) | readonly [Shape] | { readonly [field: string]: Shape };

export const text = (value: unknown): boolean => typeof value === "string";

export const number = (value: unknown): boolean => Number.isFinite(value);

export function optional(shape: Shape): Shape {
  return (value) => value === undefined || matches(value, shape);
}

export function mapOf(shape: Shape): Shape {
  return (value) => isServiceObject(value) && Object.values(value).every((one) => matches(one, shape));
}

/** A list whose items each have a shape of their own. */
export function tupleOf(...shapes: readonly Shape[]): Shape {
  return (value) => Array.isArray(value) && shapes.every((shape, index) => matches(value[index], shape));
}

export function oneOf(known: readonly unknown[]): Shape {
  return (value) => known.includes(value);
}

/** Reads a state by the shape that it must have; undefined for what has another. */
export function readerOf<State>(
  shape: State extends readonly unknown[] ? readonly [Shape] : Shape,
): (stored: unknown) => State | undefined {
  const isState = (stored: unknown): stored is State => matches(stored, shape);
  return (stored) => (isState(stored) ? stored : undefined);
}

export function matches(value: unknown, shape: Shape): boolean {
  if (typeof shape === "function") return shape(value);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => matches(item, shape[0]));
  return isServiceObject(value) && Object.entries(shape).every(([field, one]) => matches(value[field], one));
}

/** Array.isArray does not narrow readonly arrays. */
function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
