import { waitFor } from '../../src/shared/wait.ts'

/** Waits five seconds for a condition, which is looked at often. */
export async function soon(what: string, condition: () => boolean): Promise<void> {
  await waitFor(async () => condition(), { what, timeoutMs: 5000, intervalMs: 2 })
}
