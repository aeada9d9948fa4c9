import { CommandFailure } from '../console/failures.ts'

/** Why a backup is not taken, not believed or not put back. The code stays the same whatever the words. */
export class BackupRefusal extends CommandFailure {
  readonly code: keyof typeof REFUSALS
  constructor(code: BackupRefusal['code'], detail?: string) {
    super(`${REFUSALS[code]}${detail ? `: ${detail}` : ''} (${code})`)
    this.code = code
  }
}

const REFUSALS = {
  log_empty: 'the log holds no event, so there is nothing to back up',
  log_half_copied: 'the log is half a copy: end the migration first',
  master_key_changed: 'the master key was changed while the data keys were read: run the same command again',
  backup_not_there: 'there is no such backup',
  no_backup: 'there is no backup',
  manifest_unreadable: 'the manifest of the backup cannot be read',
  part_missing: 'a part of the backup is missing',
  part_altered: 'a part of the backup is not what was written',
  wrong_identity: 'the identity is not one that the backup was encrypted for',
  other_backup: 'a part is of another backup',
  log_differs: 'the log in the backup is not the one that its manifest names',
  log_not_sealed: 'the log in the backup is not what was sealed',
  keys_missing: 'the backup lacks data keys of subjects that its log has sealed values for',
  target_not_empty: 'a backup is only put back into an empty place, and this one was left as it is',
  restore_unfinished: 'a restore into this place was cut off',
  wrong_master_key: 'the master key here is not the one that the data keys of the backup are wrapped by',
  positions_too_large: 'the positions of this log do not fit into the embedded log: put it back into EventStoreDB',
  books_differ: 'the books of the restored backup differ from those of the log up to there',
}
