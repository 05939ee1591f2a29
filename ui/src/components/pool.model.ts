/** The slots of a pool, as a bar. */

export interface Slots {
  slots: number;
  running_slots: number;
  queued_slots: number;
  scheduled_slots: number;
  deferred_slots: number;
  include_deferred: boolean;
}

export interface Segment {
  state: "running" | "queued" | "deferred" | "scheduled" | "open";
  slots: number;
  /** Of the whole bar. */
  percent: number;
}

/**
 * What takes the slots, then what is free. What waits for slots is drawn behind all slots that there are, so that one sees
 * how much too small the pool is; where there is no limit, the bar is as long as what there is.
 */
export function segments(pool: Slots): Segment[] {
  const taken: [Segment["state"], number][] = [
    ["running", pool.running_slots],
    ["queued", pool.queued_slots],
    ["deferred", pool.include_deferred ? pool.deferred_slots : 0],
  ];
  const used = taken.reduce((sum, [, slots]) => sum + slots, 0);
  const open = pool.slots < 0 ? 0 : Math.max(0, pool.slots - used);
  const all: [Segment["state"], number][] = [...taken, ["open", open], ["scheduled", pool.scheduled_slots]];
  const whole = Math.max(
    1,
    all.reduce((sum, [, slots]) => sum + slots, 0),
  );
  return all
    .filter(([, slots]) => slots > 0)
    .map(([state, slots]) => ({ state, slots, percent: (100 * slots) / whole }));
}

/** In words, for those who do not see the bar. */
export function described(pool: Slots): string {
  const limit = pool.slots < 0 ? "no limit" : `${pool.slots} slots`;
  const names = { running: "running", queued: "queued", deferred: "deferred", scheduled: "waiting", open: "free" };
  return [limit, ...segments(pool).map(({ state, slots }) => `${slots} ${names[state]}`)].join(", ");
}
