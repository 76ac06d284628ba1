import { compose } from '../../compose/compose.ts'
import {
  type ListedPlane,
  listControlPlanes,
} from '../../control-plane/use-cases/find/list-control-planes.ts'
import { processEnvironment } from '../../shared/environment.ts'
import { silentUi, type Ui } from '../../shared/ui.ts'
import { moreToIt } from './more-to-it.ts'
import { toPlaneResult } from '../results/plane-result.ts'
import { planesText } from '../output/planes-text.ts'
import { loadSettings } from '../settings/settings.ts'
import { warningLine } from '../terminal/warning-line.ts'

export interface PrintPlanesOptions {
  /** How the user called vplane. */
  bin: string
  isJson: boolean
  /** Only planes in this host namespace. */
  namespace: string | undefined
}

/**
 * `list` of planes: the same looks as with the framework.
 *
 * @returns as `quickList`
 */
export async function printPlanes({
  bin,
  isJson,
  namespace,
}: PrintPlanesOptions): Promise<boolean> {
  const { stderr, stdout } = process
  const environment = processEnvironment()
  const say = (line: string) => void stderr.write(`${line}\n`)
  const ui = {
    ...silentUi,
    note: (text: string) => (isJson ? undefined : say(text)),
    warn: (text: string) => say(warningLine(text, { stderr, environment })),
  }
  let listed: ListedPlane[]
  try {
    listed = await listPlanes(ui, { isJson, namespace })
  } catch {
    // The framework meets it too, and knows how to say it.
    return false
  }
  if (moreToIt.isWanted) {
    return false
  }
  const text = isJson
    ? JSON.stringify(listed.map(toPlaneResult), undefined, 2)
    : planesText(listed, { bin, ui, width: stdout.columns })
  if (text !== undefined) {
    stdout.write(`${text}\n`)
  }
  return true
}

async function listPlanes(
  ui: Ui,
  { isJson, namespace }: Pick<PrintPlanesOptions, 'isJson' | 'namespace'>,
): Promise<ListedPlane[]> {
  const { stderr, stdin } = process
  const environment = processEnvironment()
  const { driver, hostContext, namespace: hostNamespace } = await loadSettings(environment)
  await using composition = compose({
    environment,
    ui,
    driver,
    isInteractive: stdin.isTTY && stderr.isTTY && !isJson,
    hostContext,
    hostNamespace,
  })
  const listed = await listControlPlanes(composition, { namespace })
  await composition.refreshed
  return listed
}
