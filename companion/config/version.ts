import packageFile from '../../package.json' with { type: 'json' };

/** Version of this program, the one in package.json. */
export const holdfastVersion: string = packageFile.version;
