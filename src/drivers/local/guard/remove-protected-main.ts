import { text } from 'node:stream/consumers'
import { processTableOf } from '../../../shared/processes/process-table-of.ts'
import { parseGuardMessage } from './guard-message.ts'
import { removeProtected } from './remove-protected.ts'

// The guard runs this program when the owner has died, with its last line as input.
const message = parseGuardMessage(await text(process.stdin))
if (message !== undefined) {
  const failures = await removeProtected(message, processTableOf(process.platform))
  process.exitCode = failures.length === 0 ? 0 : 1
}
