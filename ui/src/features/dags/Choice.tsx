interface ChoiceProps {
  label: string;
  value: string;
  choices: Record<string, string>;
  onChange: (value: string) => void;
}

/** One of a few. */
export function Choice({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    >
      {Object.entries(choices).map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}
