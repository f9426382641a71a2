import { permissions, type Permission } from '../../../../shared/model/states.ts';

const labels: Record<Permission, string> = {
  private: 'Only you',
  unlisted: 'Whoever has the link',
  public: 'Everyone who reaches this companion',
};

/** Who may see the copy, changed where it stands. */
export function PermissionField({ value, onSave }: { value: Permission; onSave: (value: Permission) => void }) {
  return (
    <div class="permission">
      <label for="permission">Who can see it</label>
      <select
        id="permission"
        class="field"
        value={value}
        onChange={(event) => {
          const chosen = permissions.find((name) => name === event.currentTarget.value);
          if (chosen) onSave(chosen);
        }}
      >
        {permissions.toReversed().map((name) => (
          <option key={name} value={name}>
            {labels[name]}
          </option>
        ))}
      </select>
    </div>
  );
}
