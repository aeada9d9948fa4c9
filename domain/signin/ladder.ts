/**
 * Pauses before each attempt, in milliseconds: at once, then 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h; 27 h 35 min in
 * all (N-57).
 */
export const LADDER_MS = [0, 5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000] as const
