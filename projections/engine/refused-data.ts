/** Whether PostgreSQL says that a value is none of its type or breaks a rule (SQLSTATE classes 22 and 23). */
export const isRefusedData = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown }).code ?? ''))
