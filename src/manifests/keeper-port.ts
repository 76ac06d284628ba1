/** Where a keeper serves its health and metrics in its pod: its template and the keeper itself come from the same vplane. */
export const KEEPER_PORT = 10_253
