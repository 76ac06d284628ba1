import { runKeeperProcess } from '../../../src/compose/run-keeper-process.ts'

// The keeper of `unshared-keeper.ts [--resident] FOLDER`, as it runs on a system where programs cannot share a port.

process.exitCode = await runKeeperProcess(process.argv.slice(2), { sharesPorts: false })
