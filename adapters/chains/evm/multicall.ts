/** Multicall3, which is at the same address on every chain that has it. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
