import { compose } from '../compose/compose.ts'
import {
  type ListedPlane,
  listControlPlanes,
} from '../control-plane/use-cases/list-control-planes.ts'
import { processEnvironment } from '../shared/environment.ts'
import { silentUi, type Ui } from '../shared/ui.ts'
import { toPlaneResult } from './plane-result.ts'
import { planesText } from './planes-text.ts'
import { loadSettings } from './settings.ts'
import { warningLine } from './warning-line.ts'

export interface PrintPlanesOptions {
  /** How the user called vplane. */
  bin: string
  isJson: boolean
}

/**
 * `list` of all planes: the same looks as with the framework.
 *
 * @returns as `quickList`
 */
export async function printPlanes({ bin, isJson }: PrintPlanesOptions): Promise<boolean> {
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
    listed = await listPlanes(ui, isJson)
  } catch {
    // The framework meets it too, and knows how to say it.
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

async function listPlanes(ui: Ui, isJson: boolean): Promise<ListedPlane[]> {
  const { stderr, stdin } = process
  const environment = processEnvironment()
  const { driver, hostContext, namespace } = await loadSettings(environment)
  await using composition = compose({
    environment,
    ui,
    driver,
    isInteractive: stdin.isTTY && stderr.isTTY && !isJson,
    hostContext,
    hostNamespace: namespace,
  })
  const listed = await listControlPlanes(composition)
  await composition.refreshed
  return listed
}
