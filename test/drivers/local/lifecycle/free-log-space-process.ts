import { once } from 'node:events'
import { freeLogSpace } from '../../../../src/drivers/local/lifecycle/free-log-space.ts'

// Frees the space of a log once it is told to on stdin, so that a test knows when it begins and ends.
process.stdout.write('ready\n')
await once(process.stdin, 'data')
await freeLogSpace(process.argv[2] ?? '')
process.exit()
