// Tests for npm start. They run one after the other, because each wants the same ports.
import "./npm-start/start";
import "./npm-start/start-login";
import "./npm-start/dashboard";
import "./npm-start/dashboard-look";
