/** What a DAG says about itself, in words. */

export interface ShownParam {
  name: string;
  type: string;
  value: string;
  description: string;
}

/** As the API gives them: by name a default, a description and a JSON schema. */
export function paramsOf(params: Record<string, unknown> | null): ShownParam[] {
  return Object.entries(params ?? {}).map(([name, given]) => {
    const param = asObject(given);
    const schema = asObject(param.schema);
    const description = param.description ?? schema.description;
    return {
      name,
      type: typeOf(schema),
      value: JSON.stringify("value" in param ? param.value : given),
      description: typeof description === "string" ? description : "",
    };
  });
}

function typeOf(schema: Record<string, unknown>): string {
  const { type, format } = schema;
  const kinds = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  const words = kinds.map((kind) => (kind === "null" ? "nothing" : kind)).join(" or ");
  return typeof format === "string" ? `${words} (${format})` : words;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

interface Limited {
  max_active_tasks: number;
  max_active_runs: number | null;
  max_consecutive_failed_dag_runs: number;
  has_task_concurrency_limits: boolean;
  allowed_run_types: string[] | null;
  active_runs_count?: number | undefined;
}

export function limits(dag: Limited): [string, string | number][] {
  return [
    ["Tasks of a run at once", dag.max_active_tasks],
    ["Runs at once", dag.max_active_runs ?? "no limit"],
    ["Runs now", dag.active_runs_count ?? 0],
    ["Paused after failures in a row", dag.max_consecutive_failed_dag_runs || "never"],
    ["Tasks with limits of their own", dag.has_task_concurrency_limits ? "yes" : "no"],
    ["Kinds of runs", dag.allowed_run_types?.join(", ").replaceAll("_", " ") ?? "all"],
  ];
}

const duration = /^(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Seconds of `P1DT2H`, or of a number. */
export function isoSeconds(text: string | number): number | undefined {
  if (typeof text === "number") return text;
  const found = duration.exec(text);
  if (found === null) return undefined;
  const [days, hours, minutes, seconds] = found.slice(2).map((part) => Number(part || 0)) as [
    number,
    number,
    number,
    number,
  ];
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * (found[1] ? -1 : 1);
}
