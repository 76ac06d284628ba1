import { parseArgs } from 'node:util'
import { VplaneError } from '../../shared/errors.ts'
import type { ListCall } from './with-planes.ts'

/**
 * `list` with only `--json` and flags of namespaces, without the framework, which takes longer to load than fifty
 * planes to check. False when nothing was printed, for other flags or an error: the framework takes over.
 */
export async function fastList(argv: readonly string[], bin: string): Promise<boolean> {
  const [word = '', ...args] = argv
  if (word !== 'list' && word !== 'ls') {
    return false
  }
  try {
    const flags = parseFlags(args)
    const { listText } = await import('./with-planes.ts')
    const text = await listText({ bin, ...flags })
    process.stdout.write(text ?? '')
    return text !== undefined
  } catch {
    // The framework gets the same error, and reports it.
    return false
  }
}

/** The values of the flags. Throws for all other flags, and for a `--namespace` that is empty or contradicted. */
function parseFlags(args: string[]): Omit<ListCall, 'bin'> {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      namespace: { type: 'string', short: 'n' },
      'all-namespaces': { type: 'boolean', short: 'A', default: false },
    },
  })
  const { 'all-namespaces': isEverywhere, json, namespace } = values
  if (namespace === '' || (namespace !== undefined && isEverywhere)) {
    throw new VplaneError('USAGE', 'the framework reports the error in --namespace')
  }
  return { isJson: json, namespace }
}
