import type { Output } from '../console/output.ts'
import type { Config } from '../settings/config.ts'
import type { GivenSettings } from '../settings/given/given.ts'
import type { Books } from './books.ts'

/** What the command line hands to the groups of commands that are declared in files of their own. */
export type Shell = {
  readonly out: Output
  /** Reads the settings; throws BadSetting. */
  settings(): Config
  /** The settings as they were given, before anything is read of them. Throws BadSetting when `.env` cannot be read. */
  given(): GivenSettings
  /**
   * Runs a command on the log and the read models, and closes them whatever happens. An answer of false is exit code 1.
   * A signal closes them under the command; with `ownSignals` it aborts `interrupted`, and the command ends itself.
   */
  onBooks(act: (books: Books, interrupted: AbortSignal) => Promise<unknown>, ownSignals?: boolean): Promise<void>
  /** Ends with exit code 1 unless everything was found right; for a command that needs no books. */
  judge(found: Promise<boolean>): Promise<void>
}
