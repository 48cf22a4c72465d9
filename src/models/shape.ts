// Reads stored data, which may be damaged, by the shape that it must have.
import { isServiceObject } from "./service-object";

type Condition<Value> = (value: unknown) => value is Value;

/** A condition, a list whose items have a shape, or an object whose fields have shapes. */
export type Shape = Condition<unknown> | readonly [Shape] | { readonly [field: string]: Shape };

/** The type of what has a shape: a field that may be undefined may be absent. */
export type Shaped<Of> =
  Of extends Condition<infer Value>
    ? Value
    : Of extends readonly [infer Item]
      ? readonly Shaped<Item>[]
      : {
          readonly [Name in keyof Of as undefined extends Shaped<Of[Name]> ? never : Name]: Shaped<Of[Name]>;
        } & {
          readonly [Name in keyof Of as undefined extends Shaped<Of[Name]> ? Name : never]?: Shaped<Of[Name]>;
        };

export const text = (value: unknown): value is string => typeof value === "string";

export const number = (value: unknown): value is number => Number.isFinite(value);

export function optional<const Of extends Shape>(shape: Of) {
  return (value: unknown): value is Shaped<Of> | undefined => value === undefined || matches(value, shape);
}

export function orNull<const Of extends Shape>(shape: Of) {
  return (value: unknown): value is Shaped<Of> | null => value === null || matches(value, shape);
}

export function mapOf<const Of extends Shape>(shape: Of) {
  return (value: unknown): value is Readonly<Record<string, Shaped<Of>>> =>
    isServiceObject(value) && Object.values(value).every((one) => matches(one, shape));
}

/** A list whose items each have a shape of their own. */
export function tupleOf<Tuple extends readonly unknown[]>(...shapes: { [Index in keyof Tuple]-?: Shape }) {
  return (value: unknown): value is Tuple =>
    Array.isArray(value) && shapes.every((shape, index) => matches(value[index], shape));
}

export function oneOf<const Known>(known: readonly Known[]) {
  return (value: unknown): value is Known => known.some((one) => one === value);
}

/** For a type of which only a part is checked. */
export function partOf<State>(shape: Shape & { readonly [Name in keyof State]?: Shape }) {
  return (value: unknown): value is State => matches(value, shape);
}

/** Reads a state by the shape that it must have; undefined for what has another. */
export function readerOf<const Of extends Shape>(shape: Of) {
  return (stored: unknown): Shaped<Of> | undefined => (matches(stored, shape) ? stored : undefined);
}

export function matches<const Of extends Shape>(value: unknown, shape: Of): value is Shaped<Of> {
  if (typeof shape === "function") return shape(value);
  if (isList(shape)) return Array.isArray(value) && value.every((item) => matches(item, shape[0]));
  return isServiceObject(value) && Object.entries(shape).every(([field, one]) => matches(value[field], one));
}

/** Array.isArray does not narrow readonly arrays. */
function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
