/** Connections: which fields matter for which type, and how what people type becomes one. */
import type { Schemas } from "~/api/client";

export type Connection = Schemas["ConnectionResponse"];

/** The fields that all connections have. */
export type Plain = "host" | "port" | "schema" | "login" | "password";

/** A field that is kept in the extra. */
export interface Extra {
  key: string;
  label: string;
  kind?: "text" | "number" | "check" | "secret" | "long text";
}

export interface ConnectionType {
  title: string;
  /** What its fields are called; those that are not named do not matter. */
  plain: Partial<Record<Plain, string>>;
  extra?: Extra[];
  port?: number;
}

const all: Record<Plain, string> = {
  host: "Host",
  port: "Port",
  schema: "Schema",
  login: "Login",
  password: "Password",
};
const server = { host: "Host", port: "Port", login: "User", password: "Password" };
const database = { ...server, schema: "Database" };
const keyFile: Extra = { key: "key_file", label: "Private key file" };

export const connectionTypes: Record<string, ConnectionType> = {
  aws: {
    title: "Amazon Web Services",
    plain: { login: "Access key id", password: "Secret access key" },
    extra: [
      { key: "region_name", label: "Region" },
      { key: "role_arn", label: "Role (ARN)" },
      { key: "endpoint_url", label: "Endpoint" },
    ],
  },
  docker: { title: "Docker registry", plain: { host: "Registry", port: "Port", login: "User", password: "Password" } },
  elasticsearch: { title: "Elasticsearch", plain: database, port: 9200 },
  fs: { title: "Folder of this machine", plain: {}, extra: [{ key: "path", label: "Path" }] },
  ftp: { title: "FTP", plain: server, port: 21, extra: [{ key: "passive", label: "Passive mode", kind: "check" }] },
  generic: { title: "Anything else", plain: all },
  google_cloud_platform: {
    title: "Google Cloud",
    plain: {},
    extra: [
      { key: "project", label: "Project" },
      { key: "key_path", label: "Key file" },
      { key: "keyfile_dict", label: "Key (JSON)", kind: "secret" },
      { key: "scope", label: "Scopes" },
      { key: "num_retries", label: "Retries", kind: "number" },
    ],
  },
  http: {
    title: "HTTP",
    plain: { ...server, schema: "Schema (http or https)" },
  },
  imap: { title: "IMAP", plain: server, port: 993, extra: [{ key: "use_ssl", label: "TLS", kind: "check" }] },
  kafka: {
    title: "Apache Kafka",
    plain: {},
    extra: [
      { key: "bootstrap.servers", label: "Bootstrap servers" },
      { key: "group.id", label: "Group" },
      { key: "security.protocol", label: "Security protocol" },
    ],
  },
  kubernetes: {
    title: "Kubernetes",
    plain: {},
    extra: [
      { key: "in_cluster", label: "Inside of the cluster", kind: "check" },
      { key: "kube_config_path", label: "Kubeconfig file" },
      { key: "kube_config", label: "Kubeconfig (JSON)", kind: "secret" },
      { key: "namespace", label: "Namespace" },
      { key: "cluster_context", label: "Context" },
    ],
  },
  mongo: { title: "MongoDB", plain: database, port: 27_017, extra: [{ key: "srv", label: "SRV", kind: "check" }] },
  mssql: { title: "Microsoft SQL Server", plain: database, port: 1433 },
  mysql: { title: "MySQL", plain: database, port: 3306, extra: [{ key: "charset", label: "Charset" }] },
  oracle: { title: "Oracle", plain: database, port: 1521, extra: [{ key: "service_name", label: "Service" }] },
  postgres: { title: "PostgreSQL", plain: database, port: 5432, extra: [{ key: "sslmode", label: "SSL mode" }] },
  redis: { title: "Redis", plain: server, port: 6379, extra: [{ key: "db", label: "Database", kind: "number" }] },
  sftp: { title: "SFTP", plain: server, port: 22, extra: [keyFile] },
  slack: { title: "Slack", plain: { password: "Token" } },
  slackwebhook: { title: "Slack webhook", plain: { host: "Webhook address", password: "Webhook token" } },
  smtp: {
    title: "SMTP",
    plain: server,
    port: 587,
    extra: [
      { key: "from_email", label: "Sender" },
      { key: "disable_tls", label: "Without TLS", kind: "check" },
      { key: "disable_ssl", label: "Without SSL", kind: "check" },
    ],
  },
  snowflake: {
    title: "Snowflake",
    plain: { login: "User", password: "Password", schema: "Schema" },
    extra: [
      { key: "account", label: "Account" },
      { key: "warehouse", label: "Warehouse" },
      { key: "database", label: "Database" },
      { key: "role", label: "Role" },
    ],
  },
  spark: { title: "Apache Spark", plain: { host: "Master", port: "Port" }, extra: [{ key: "queue", label: "Queue" }] },
  sqlite: { title: "SQLite", plain: { host: "File" } },
  ssh: {
    title: "SSH",
    plain: server,
    port: 22,
    extra: [keyFile, { key: "no_host_key_check", label: "Trust any host", kind: "check" }],
  },
  trino: { title: "Trino", plain: { ...server, schema: "Catalog" }, port: 8080 },
  wasb: { title: "Azure Blob Storage", plain: { host: "Account", login: "Client id", password: "Secret" } },
};

/** Of a type that nobody has described, all fields may matter. */
export function typeOf(name: string): ConnectionType {
  return connectionTypes[name] ?? { title: name, plain: all };
}

export interface Draft {
  connection_id: string;
  conn_type: string;
  description: string;
  plain: Record<Plain, string>;
  /** The extra as JSON, as it is or as somebody is writing it. */
  extra: string;
}

export function draftOf(connection: Connection | undefined): Draft {
  const text = (value: string | number | null | undefined) => (value == null ? "" : String(value));
  return {
    connection_id: text(connection?.connection_id),
    conn_type: text(connection?.conn_type),
    description: text(connection?.description),
    plain: {
      host: text(connection?.host),
      port: text(connection?.port),
      schema: text(connection?.schema),
      login: text(connection?.login),
      password: "",
    },
    extra: pretty(text(connection?.extra)),
  };
}

/** The fields of a type, and those of others that have a value: nothing that is stored is out of sight. */
export function plainFields(draft: Draft): [Plain, string][] {
  const { plain } = typeOf(draft.conn_type);
  const names = Object.keys(all) as Plain[];
  return names
    .filter((name) => plain[name] !== undefined || (name !== "password" && draft.plain[name] !== ""))
    .map((name) => [name, plain[name] ?? all[name]]);
}

/** What the extra says; undefined: it is no JSON object at the moment. */
export function extraOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The extra with one field changed; a field without a value is not in it. */
export function withExtra(text: string, key: string, value: string | boolean, kind: Extra["kind"]): string {
  const before = extraOf(text);
  if (before === undefined) return text;
  const rest = Object.fromEntries(Object.entries(before).filter(([name]) => name !== key));
  if (value === "" || value === false) return Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 2) : "";
  const meant = kind === "number" && value !== true && !Number.isNaN(Number(value)) ? Number(value) : value;
  return JSON.stringify({ ...before, [key]: meant }, null, 2);
}

/** A field of the extra as it is shown. */
export function shownExtra(text: string, key: string): string {
  const value = extraOf(text)?.[key];
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What is wrong with it, before the server is asked. */
export function problemOf(draft: Draft): string | undefined {
  if (!/^[\w.-]+$/.test(draft.connection_id)) return "A name has letters, digits, points, dashes and underscores.";
  if (draft.conn_type.trim() === "") return "A connection needs a type.";
  if (extraOf(draft.extra) === undefined) return 'The extra is a JSON object, such as {"key": "value"}.';
  const port = draft.plain.port;
  if (port !== "" && !/^\d{1,5}$/.test(port)) return "A port is a number from 0 to 65535.";
  return undefined;
}

/** As the server takes it. An empty password means that nobody has typed one. */
export function bodyOf(draft: Draft): Schemas["ConnectionBody"] {
  const { host, port, schema, login, password } = draft.plain;
  return {
    connection_id: draft.connection_id,
    conn_type: draft.conn_type.trim(),
    description: draft.description || null,
    host: host || null,
    port: port === "" ? null : Number(port),
    schema: schema || null,
    login: login || null,
    password: password || null,
    extra: draft.extra.trim() || null,
  };
}

/** Which fields are to become different. */
export function maskOf(draft: Draft): string[] {
  const names = ["conn_type", "description", "host", "port", "schema", "login", "extra"];
  return draft.plain.password === "" ? names : [...names, "password"];
}

function pretty(text: string): string {
  const read = extraOf(text);
  if (read === undefined) return text;
  return Object.keys(read).length === 0 ? "" : JSON.stringify(read, null, 2);
}
