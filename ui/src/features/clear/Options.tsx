import styles from "./Clear.module.css";

interface Props<Name extends string> {
  legend: string;
  options: readonly (readonly [Name, string, string])[];
  values: Record<Name, boolean>;
  onChange: (name: Name, value: boolean) => void;
}

/** Things that can be wanted or not. */
export function Options<Name extends string>({ legend, options, values, onChange }: Props<Name>) {
  return (
    <fieldset className={styles.options}>
      <legend>{legend}</legend>
      {options.map(([name, title, explanation]) => (
        <label key={name} title={explanation}>
          <input
            type="checkbox"
            checked={values[name]}
            onChange={({ target }) => {
              onChange(name, target.checked);
            }}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

export function NoteField({ note, onChange }: { note: string; onChange: (note: string) => void }) {
  return (
    <label className={styles.note}>
      Note
      <input
        value={note}
        maxLength={1000}
        placeholder="Why, for those who look at it later"
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
    </label>
  );
}
