import { useState } from 'preact/hooks';

/** A small choice of the reader that this browser remembers, as JSON text. */
export function useRemembered<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const key = `holdfast.${name}`;
  const [value, setValue] = useState<Value>(() => {
    const stored = localStorage.getItem(key);
    return stored === null ? initial : (JSON.parse(stored) as Value);
  });
  return [
    value,
    (next) => {
      localStorage.setItem(key, JSON.stringify(next));
      setValue(next);
    },
  ];
}
