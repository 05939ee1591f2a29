import { expect, test } from "vitest";

import { loadApp } from "./load";

const scope = globalThis as unknown as Record<string, unknown>;

test("a component is what the bundle exports", async () => {
  const component = () => null;

  expect(await loadApp("One", "/1.js", () => Promise.resolve({ default: component }))).toBe(component);
});

test("or what it leaves as AirflowPlugin, made with the React of the page", async () => {
  let seen: unknown;
  const component = () => null;

  const app = await loadApp("Two", "/2.js", () => {
    seen = scope.React;
    scope.AirflowPlugin = component;
    return Promise.resolve({});
  });

  expect(app).toBe(component);
  expect(seen).toHaveProperty("createElement");
});

test("or what it leaves under its name, unless that means something already", async () => {
  const component = () => null;
  const leave = (name: string) => () => {
    scope[name] = component;
    return Promise.resolve({});
  };

  expect(await loadApp("My app", "/3.js", leave("My app"))).toBe(component);
  await expect(loadApp("Map", "/4.js", () => Promise.resolve({}))).rejects.toThrow("left no component");
});

test("two at once do not get each other's", async () => {
  const components = [() => null, () => null];
  const [one, two] = await Promise.all(
    components.map((component, index) =>
      loadApp(`At once ${index}`, `/at-once-${index}.js`, async () => {
        await Promise.resolve();
        scope.AirflowPlugin = component;
      }),
    ),
  );

  expect([one, two]).toEqual(components);
});

test("a bundle is loaded once, and again after it failed", async () => {
  let loads = 0;
  const load = () => {
    loads += 1;
    return loads === 1 ? Promise.reject(new Error("not there")) : Promise.resolve({ default: () => null });
  };

  await expect(loadApp("Five", "/5.js", load)).rejects.toThrow("not there");
  const again = await loadApp("Five", "/5.js", load);

  expect(await loadApp("Five", "/5.js", load)).toBe(again);
  expect(loads).toBe(2);
});
