import type { Output } from '../console/output.ts'
import type { Config } from '../settings/config.ts'
import type { Books } from './books.ts'

/** What the command line hands to the groups of commands that are declared in files of their own. */
export type Shell = {
  readonly out: Output
  /** Reads the settings; throws BadSetting. */
  settings(): Config
  /**
   * Runs a command on the log and the read models. An answer of false is exit code 1; with `ownSignals` the command
   * ends itself when a signal comes.
   */
  onBooks(act: (books: Books) => Promise<unknown>, ownSignals?: boolean): Promise<void>
}
