/** A separate file in dist/, because the entry would otherwise be ten times as large. */
import { openQuickly } from '../../control-plane/use-cases/access/access.ts'
import { listControlPlanes } from '../../control-plane/use-cases/find/list-control-planes.ts'
import { resolvePlane } from '../../control-plane/use-cases/find/resolve-plane.ts'
import { processEnvironment } from '../../shared/environment.ts'
import { silentUi, type Ui } from '../../shared/ui.ts'
import { planesText } from '../output/planes-text.ts'
import { toPlaneResult } from '../results/plane-result.ts'
import { composeBySettings } from '../settings/compose-by-settings.ts'
import { warningLine } from '../terminal/terminal.ts'
import { leftOut } from './left-out.ts'

export interface ListCall {
  bin: string
  isJson: boolean
  namespace: string | undefined
}

/** What `list` prints on stdout; undefined when that cannot be known without what is left out. */
export async function listText({ bin, isJson, namespace }: ListCall): Promise<string | undefined> {
  const ui = lineUi({ isJson })
  await using composition = await composeBySettings({
    environment: processEnvironment(),
    ui,
    isJson,
  })
  const listed = await listControlPlanes(composition, { namespace })
  await composition.refreshed
  if (leftOut.isNeeded) {
    return undefined
  }
  const text = isJson
    ? JSON.stringify({ items: listed.map(toPlaneResult) }, undefined, 2)
    : planesText(listed, { bin, ui, namespace, width: process.stdout.columns })
  return text === undefined ? '' : `${text}\n`
}

/** Calls `run` while the connection is open; undefined when something must be started, asked or explained first. */
export async function withKubeconfig(
  name: string,
  run: (kubeconfig: string) => Promise<number>,
): Promise<number | undefined> {
  const ui = lineUi({ isJson: false })
  await using composition = await composeBySettings({ environment: processEnvironment(), ui })
  const found = await resolvePlane(composition, { name })
  const access = await openQuickly(composition, { ...found, isHeld: true })
  if (access === undefined || leftOut.isNeeded) {
    return undefined
  }
  const user = { kind: 'embedded', access } as const
  return await run(composition.contexts.render({ plane: found.plane, endpoint: access, user }))
}

/** Notes and warnings as lines on stderr, until something that was left out is needed. */
function lineUi({ isJson }: { isJson: boolean }): Ui {
  const { stderr } = process
  const print = (line: string) => (leftOut.isNeeded ? undefined : void stderr.write(`${line}\n`))
  return {
    ...silentUi,
    note: (text) => (isJson ? undefined : print(text)),
    warn: (text) => print(warningLine(text, { stderr, environment: processEnvironment() })),
  }
}
