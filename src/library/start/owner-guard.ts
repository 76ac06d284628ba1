import { createGuard } from '../../compose/guard.ts'

/** The guard of this process: one for all of its planes, however many copies of them are started at once. */
export const ownerGuard = createGuard()
