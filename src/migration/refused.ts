import { CommandFailure } from '../console/failures.ts'

/** Why a migration cannot go on. The code stays the same whatever the words. */
export class MigrationRefusal extends CommandFailure {
  readonly code: keyof typeof REFUSALS
  constructor(code: MigrationRefusal['code'], detail?: string) {
    super(`${REFUSALS[code]}${detail ? `: ${detail}` : ''} (${code})`)
    this.code = code
  }
}

const REFUSALS = {
  source_empty: 'the log holds no event, so there is nothing to migrate',
  source_half_copied: 'the log is itself half a copy',
  source_not_sealed: 'the log is not the one that was sealed here',
  source_grown: 'the log was written to since it was copied; stop what writes, and start again with an empty target',
  source_moving: 'the log was written to while it was copied; stop what writes to it, and run the same command again',
  target_foreign: 'the target holds something else than a copy of this log, and was left as it is',
  service_running: 'a service is running on this log or its database; stop it first',
  database_elsewhere: 'the database follows another log',
  database_ahead: 'the database has seen more than this log holds',
  mirror_empty: 'there is no mirror to refill the log from',
  mirror_shorter: 'the mirror has nothing that the log has not',
  mirror_parted: 'the log is not the beginning of its mirror, and was left as it is',
  mirror_unsealed: 'the mirror is not what was sealed, and the log was left as it is',
  positions_behind:
    'the store counts its positions from too far behind: move the log to a new store with daybook migrate',
  database_parted: 'the database has seen other events than this log holds',
}
