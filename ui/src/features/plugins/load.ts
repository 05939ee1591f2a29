/** Parts of plugins that run in the page: scripts of the plugins folder, made for React as Airflow's pages load them. */
import * as React from "react";
import * as ReactDOM from "react-dom";
import * as ReactJSXRuntime from "react/jsx-runtime";

import type { Place } from "./views.model";

/** As Airflow's pages say it: all of them texts. */
export type AppProps = Partial<Record<keyof Place, string>>;
export type App = React.ComponentType<AppProps>;
type Import = (address: string) => Promise<unknown>;

const known = new Map<string, Promise<App>>();
let before: Promise<unknown> = Promise.resolve();

/**
 * The component of a bundle; loaded once. It is what the bundle exports, or what it leaves as `AirflowPlugin` or under its
 * name. One at a time: all of them use the same name.
 */
export function loadApp(
  name: string,
  address: string,
  load: Import = (from) => import(/* @vite-ignore */ from),
): Promise<App> {
  const found =
    known.get(address) ??
    before
      .then(() => loadNow(name, address, load))
      .catch((error: unknown) => {
        known.delete(address);
        throw error;
      });
  known.set(address, found);
  before = found.catch(() => undefined);
  return found;
}

async function loadNow(name: string, address: string, load: Import): Promise<App> {
  const scope = globalThis as unknown as Record<string, unknown>;
  Object.assign(scope, { React, ReactDOM, ReactJSXRuntime, AirflowPlugin: undefined });
  // A name such as `Map` means something already.
  const taken = name in scope;
  const exported = (await load(address)) as { default?: unknown } | undefined;
  const app = [exported?.default, scope.AirflowPlugin, taken ? undefined : scope[name]].find(
    (each) => typeof each === "function",
  );
  if (app === undefined) {
    throw new Error("It was loaded, and left no component: none is exported, and none called AirflowPlugin.");
  }
  return app as App;
}
