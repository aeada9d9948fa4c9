/** How `npm test` tells its processes what to run (run.ts, together.ts). */

/**
 * Test files that one process runs one after the other. `alone`: it runs no other file meanwhile. `waits`: they need
 * what is installed beside the tests.
 */
export type Turn = { readonly files: readonly string[]; readonly alone: boolean; readonly waits: boolean }

/** The name of the file that is there once everything has been installed, or was found not to be. */
export const PROVIDED = 'provided'
