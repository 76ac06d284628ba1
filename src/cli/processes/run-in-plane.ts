import { dirname } from 'node:path'
import type { Composition } from '../../compose/compose.ts'
import type { Plane } from '../../control-plane/plane/plane.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import type { ContextUser } from '../../control-plane/use-cases/access/contexts.ts'
import { processEnvironment } from '../../shared/environment.ts'
import { messageOf } from '../../shared/errors.ts'
import { isOnPath } from './is-on-path.ts'
import type { Interrupts } from './interrupts.ts'
import { runWithKubeconfig } from './run-with-kubeconfig.ts'

export interface RunInPlaneOptions {
  plane: Plane
  access: Access
  /** The user that the command authenticates as. @default the administrator */
  user?: ContextUser
  command: readonly string[]
  interrupts: Interrupts
  /** Ends vplane's own steps on the terminal, before the command writes to it. */
  finishSteps: () => void
}

type Dependencies = Pick<Composition, 'contexts' | 'findKubectl' | 'ui'>

/** Runs a command with its own kubeconfig for a plane, and returns its exit code. */
export async function runInPlane(
  composition: Dependencies,
  options: RunInPlaneOptions,
): Promise<number> {
  const { access, command, finishSteps, interrupts, plane } = options
  const user = options.user ?? { kind: 'embedded', access }
  const environment = processEnvironment()
  const kubectlFolder = isOnPath('kubectl', environment)
    ? undefined
    : await managedKubectl(composition, { command, interrupts, plane })
  finishSteps()
  return await runWithKubeconfig({
    command,
    environment,
    interrupts,
    kubectlFolder,
    kubeconfig: composition.contexts.render({ plane, endpoint: access, user }),
  })
}

/** Gets kubectl for a command before a plane is created. @throws {VplaneError} `FAILED` when there is none. */
export async function ensureKubectl(
  { findKubectl, ui }: Pick<Dependencies, 'findKubectl' | 'ui'>,
  { command, plane, signal }: KubectlRequest,
): Promise<void> {
  if (command[0] === 'kubectl' && !isOnPath('kubectl', processEnvironment())) {
    await findKubectl(plane, { ui, signal })
  }
}

interface KubectlRequest extends Pick<RunInPlaneOptions, 'command'> {
  plane: Pick<Plane, 'spec' | 'binDir'>
  signal: AbortSignal
}

/** The folder of vplane's own kubectl. Only the command kubectl fails without it: others may not need it. */
async function managedKubectl(
  { findKubectl, ui }: Dependencies,
  { command, interrupts, plane }: Omit<RunInPlaneOptions, 'access' | 'finishSteps' | 'user'>,
): Promise<string | undefined> {
  try {
    return dirname(await findKubectl(plane, { ui, signal: interrupts.signal }))
  } catch (error) {
    if (interrupts.signal.aborted || command[0] === 'kubectl') {
      throw error
    }
    ui.warn(`kubectl is not on PATH, and vplane cannot get it: ${messageOf(error)}`)
    return undefined
  }
}
