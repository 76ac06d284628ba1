import { compose } from '../compose/compose.ts'
import { listControlPlanes } from '../control-plane/use-cases/list-control-planes.ts'
import { processEnvironment } from '../shared/environment.ts'
import { VplaneError } from '../shared/errors.ts'
import { silentUi } from '../shared/ui.ts'
import { toPlaneResult } from './plane-result.ts'
import { planesText } from './planes-text.ts'
import { loadSettings } from './settings.ts'
import { warningLine } from './warning-line.ts'

const WORDS = ['list', 'ls']

/**
 * `list` without any flag but `--json`: the same looks as with the framework, which takes longer to load than to look at
 * fifty planes.
 *
 * @param bin how the user called vplane
 * @returns false when nothing was said, because there is more to it: another flag, a mistake, an error. The framework
 * takes it from there.
 */
export async function quickList(argv: readonly string[], bin: string): Promise<boolean> {
  const [word = '', ...flags] = argv
  if (!WORDS.includes(word) || flags.some((flag) => flag !== '--json')) {
    return false
  }
  const isJson = flags.length > 0
  const { stderr, stdin, stdout } = process
  const environment = processEnvironment()
  const say = (line: string) => void stderr.write(`${line}\n`)
  const ui = {
    ...silentUi,
    note: (text: string) => (isJson ? undefined : say(text)),
    warn: (text: string) => say(warningLine(text, { stderr, environment })),
  }
  try {
    const { driver, hostContext, namespace } = await loadSettings(environment)
    const isInteractive = stdin.isTTY && stderr.isTTY && !isJson
    await using composition = compose({
      environment,
      ui,
      driver,
      isInteractive,
      hostContext,
      hostNamespace: namespace,
    })
    const listed = await listControlPlanes(composition)
    const text = isJson
      ? JSON.stringify(listed.map(toPlaneResult), undefined, 2)
      : planesText(listed, { bin, ui, width: stdout.columns })
    if (text !== undefined) {
      stdout.write(`${text}\n`)
    }
    await composition.refreshed
    return true
  } catch (error) {
    // The framework meets it too, and knows how to say it.
    if (error instanceof VplaneError) {
      return false
    }
    throw error
  }
}
