import { useQueryClient } from "@tanstack/react-query";
import { CatchBoundary, Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";

import { gridChanges } from "~/api/gridChanges";
import { concerns, isPatient } from "~/api/invalidate";
import { useMay } from "~/api/permissions";
import { Refresh } from "~/api/refresh";
import { Notice } from "~/components/Notice";
import { Page } from "~/components/Page";
import { PluginStrip } from "~/features/plugins/PluginCards";
import { changeContact } from "~/lib/contact";
import { isMac } from "~/lib/keys";
import { type Change, type Contact, watch } from "~/lib/live";
import { instance } from "~/lib/instance";
import { changeSettings, useIsDark, useSettings } from "~/lib/settings";
import { type Shortcut, useShortcuts } from "~/lib/shortcuts";
import { noteLive } from "~/lib/upgrade";

import { CommandPalette } from "./CommandPalette";
import { ContactWord } from "./ContactWord";
import { Navigation } from "./Navigation";
import { visibleGroups } from "./navigation.model";
import styles from "./shell.module.css";
import { StumbledPage } from "~/components/Stumbled";
import { UserMenu } from "./UserMenu";

/** Not needed for the first look. */
const ShortcutSheet = lazy(() => import("./ShortcutSheet"));

/** What stands around every page. */
export function Shell() {
  useLiveChanges();
  useFocusOfNewPage();
  const { isNavigationHidden } = useSettings();
  const address = useRouterState({ select: ({ location }) => location.href });
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [open, setOpen] = useState<"palette" | "shortcuts">();
  useShellShortcuts(setOpen);
  const close = () => {
    setOpen(undefined);
  };
  return (
    <div className={styles.shell} data-navigation={isNavigationHidden ? "hidden" : "shown"} data-drawer={isDrawerOpen}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.bar}>
        <button
          type="button"
          className={styles.plain}
          aria-label="Navigation"
          aria-expanded={isDrawerOpen}
          onClick={() => {
            setDrawerOpen(!isDrawerOpen);
            if (isNavigationHidden) changeSettings({ isNavigationHidden: false });
          }}
        >
          ☰
        </button>
        <Brand />
      </header>
      <nav className={styles.nav} aria-label="Pages">
        <Brand />
        <button
          type="button"
          className={styles.search}
          onClick={() => {
            setOpen("palette");
          }}
        >
          Search <kbd>{isMac ? "⌘" : "Ctrl"} K</kbd>
        </button>
        <Navigation
          onChosen={() => {
            setDrawerOpen(false);
          }}
        />
        <UserMenu
          onShortcuts={() => {
            setOpen("shortcuts");
          }}
        />
      </nav>
      <div
        className={styles.shade}
        onClick={() => {
          setDrawerOpen(false);
        }}
      />
      <div className={styles.content}>
        <CatchBoundary getResetKey={() => address} errorComponent={StumbledPage}>
          <Outlet />
        </CatchBoundary>
        <PluginStrip />
      </div>
      <ContactWord />
      {open === "palette" && (
        <CommandPalette
          onShortcuts={() => {
            setOpen("shortcuts");
          }}
          onClose={close}
        />
      )}
      <Suspense>{open === "shortcuts" && <ShortcutSheet onClose={close} />}</Suspense>
    </div>
  );
}

function Brand() {
  const isDark = useIsDark();
  return (
    <Link to="/" className={styles.brand} title={instance.name}>
      <img src={isDark ? instance.darkIcon : instance.icon} alt="" width="24" height="24" />
      <span>{instance.name}</span>
    </Link>
  );
}

export function NothingHere() {
  return (
    <Page title="Nothing here">
      <Notice isError title="There is no such page">
        <Link to="/">Back to the overview</Link>
      </Notice>
    </Page>
  );
}

function tellContact(contact: Contact): void {
  changeContact(contact);
  if (contact === "live") void noteLive();
}

/** How long what shows everything waits for more changes, in milliseconds. */
const patience = 2_000;

/** Whatever the server tells of is loaded anew, if it is shown. */
function useLiveChanges(): void {
  const client = useQueryClient();
  useEffect(() => {
    let timer: number | undefined;
    let gathered: Change[] = [];
    const refresh = new Refresh(client);
    const load = (changes: Change[], isForPatient: boolean) => {
      refresh.of(({ queryKey }) => isPatient(queryKey) === isForPatient && concerns(queryKey, changes));
    };
    const stop = watch((changes) => {
      gridChanges.note(
        client
          .getQueryCache()
          .findAll({ queryKey: ["grid"] })
          .map(({ queryKey }) => queryKey),
        changes,
      );
      if (changes === null) {
        refresh.of(() => true);
        return;
      }
      load(changes, false);
      gathered.push(...changes);
      timer ??= window.setTimeout(() => {
        timer = undefined;
        load(gathered, true);
        gathered = [];
      }, patience);
    }, tellContact);
    return () => {
      window.clearTimeout(timer);
      stop();
      refresh.stop();
    };
  }, [client]);
}

/** Keyboards go on in the page that was chosen. Not while one only looks at another part of the same page. */
function useFocusOfNewPage(): void {
  const place = useRouterState({ select: ({ location }) => location.pathname.split("/").slice(0, 3).join("/") });
  const before = useRef(place);
  useEffect(() => {
    if (before.current !== place) document.getElementById("main")?.focus();
    before.current = place;
  }, [place]);
}

function useShellShortcuts(open: (what: "palette" | "shortcuts") => void): void {
  const may = useMay();
  const navigate = useNavigate();
  const { isNavigationHidden } = useSettings();
  const shortcuts = useMemo((): Shortcut[] => {
    const around = "Everywhere";
    const pages = visibleGroups(may).flatMap((group) => group.pages);
    return [
      {
        keys: "mod+k",
        title: "Search and commands",
        group: around,
        run: () => {
          open("palette");
        },
      },
      {
        keys: "?",
        title: "This sheet",
        group: around,
        run: () => {
          open("shortcuts");
        },
      },
      { keys: "/", title: "Search in this page", group: around, run: focusSearch },
      {
        keys: "[",
        title: "Show or hide the navigation",
        group: around,
        run: () => {
          changeSettings({ isNavigationHidden: !isNavigationHidden });
        },
      },
      ...pages.flatMap(({ key, title, to }) =>
        key === undefined ? [] : [{ keys: `g ${key}`, title, group: "Go to", run: () => void navigate({ to }) }],
      ),
    ];
  }, [may, navigate, open, isNavigationHidden]);
  useShortcuts(shortcuts);
}

function focusSearch(): void {
  document.querySelector<HTMLElement>("main input[type=search]")?.focus();
}
