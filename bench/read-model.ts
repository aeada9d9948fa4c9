/**
 * The question to a process that keeps a read model, which names what it has to make: its log, the read model anew, or
 * the read model as a follower with a backlog.
 */
export type Question = { readonly make: 'log' | 'rebuild' | 'following' }

/** `events` are those of the log, `processed` those that came to the read model, in `ms`. */
export type Made = { readonly events: number; readonly processed: number; readonly ms: number }
