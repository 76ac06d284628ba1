import { parseArgs } from 'node:util'

const WORDS = ['list', 'ls']

/**
 * `list` with no other flags than `--json`, `--namespace` and `--all-namespaces`, without the framework, which takes longer
 * to load than to look at fifty planes.
 *
 * @param bin how the user called vplane
 * @returns false when nothing was said, because there is more to it: another flag, a mistake, an error. The framework
 * takes it from there.
 */
export async function quickList(argv: readonly string[], bin: string): Promise<boolean> {
  const [word = '', ...words] = argv
  const given = WORDS.includes(word) ? parseFlags(words) : undefined
  if (given === undefined) {
    return false
  }
  const { printPlanes } = await import('./quick-ways.ts')
  return printPlanes({ bin, ...given })
}

/** What the flags say; undefined for what the framework has to look at. */
function parseFlags(
  args: string[],
): { isJson: boolean; namespace: string | undefined } | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        json: { type: 'boolean', default: false },
        namespace: { type: 'string', short: 'n' },
        'all-namespaces': { type: 'boolean', short: 'A', default: false },
      },
    })
    const { 'all-namespaces': isEverywhere, json, namespace } = values
    const isPlain = namespace === undefined || (namespace !== '' && !isEverywhere)
    return isPlain ? { isJson: json, namespace } : undefined
  } catch {
    return undefined
  }
}
