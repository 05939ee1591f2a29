import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useRef } from "react";

import { pluginViewsQuery } from "~/api/pluginViews";
import { meQuery } from "~/api/queries";
import { PluginLink } from "~/features/plugins/PluginLink";
import { changeSettings, dateLanguages, type Theme, useSettings } from "~/lib/settings";
import { instant } from "~/lib/time";

import { viewsOfUser } from "./navigation.model";
import styles from "./UserMenu.module.css";
import { ZoneChooser } from "./ZoneChooser";

const themes: [Theme, string][] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** What a person sets for themselves. */
export function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { data: me } = useQuery(meQuery);
  const { data: views = [] } = useQuery(pluginViewsQuery);
  const { zone } = useSettings();
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <div className={styles.person}>
      <button type="button" className={styles.button} popoverTarget={id} title="Settings and account">
        <span aria-hidden="true">{(me?.username ?? "?").slice(0, 1).toUpperCase()}</span>
        <span>
          {me?.username ?? "…"} <small>{zone}</small>
        </span>
      </button>
      <div id={id} ref={menu} popover="auto" className={styles.menu} role="dialog" aria-label="Settings and account">
        <Themes />
        <ZoneChooser />
        <Dates />
        <div className={styles.links}>
          <Link to="/account" onClick={close}>
            Account
          </Link>
          <button
            type="button"
            onClick={() => {
              close();
              onShortcuts();
            }}
          >
            Keyboard shortcuts
          </button>
          {viewsOfUser(views).map((view) =>
            view.route === null ? (
              <PluginLink key={`${view.plugin} ${view.name}`} view={view} />
            ) : (
              <Link key={view.route} to="/plugin/$route" params={{ route: view.route }} onClick={close}>
                {view.name}
              </Link>
            ),
          )}
          <a href="/auth/logout">Log out</a>
        </div>
      </div>
    </div>
  );
}

function Themes() {
  const { theme } = useSettings();
  return (
    <fieldset className={styles.themes}>
      <legend>Theme</legend>
      {themes.map(([name, title]) => (
        <label key={name}>
          <input
            type="radio"
            name="theme"
            checked={theme === name}
            onChange={() => {
              changeSettings({ theme: name });
            }}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

const sample = "2026-12-31T17:05:09Z";

function Dates() {
  const { dates } = useSettings();
  return (
    <label className={styles.field}>
      Dates
      <select
        value={dates}
        onChange={({ target }) => {
          changeSettings({ dates: target.value });
        }}
      >
        {dateLanguages.map((language) => (
          <option key={language} value={language}>
            {languageName(language)}: {instant(sample, "UTC", language)}
          </option>
        ))}
      </select>
    </label>
  );
}

function languageName(language: string): string {
  if (language === "iso") return "ISO 8601";
  return new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
}
