import { compose } from '../../compose/compose.ts'
import { openQuickly } from '../../control-plane/use-cases/access/access.ts'
import { resolvePlane } from '../../control-plane/use-cases/find/resolve-plane.ts'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import { silentUi } from '../../shared/ui.ts'
import type { Interrupts } from '../processes/interrupts.ts'
import { moreToIt } from './more-to-it.ts'
import { runQuickly } from '../processes/run-quickly.ts'
import { loadSettings } from '../settings/settings.ts'

export interface QuickHostConnect {
  name: string
  command: readonly string[]
  environment: Environment
  interrupts: Interrupts
}

/**
 * `connect NAME -- CMD...` for a plane that may be in a host cluster and that this user has used before: the same looks
 * as with the framework, as long as nothing has to be started, asked or explained.
 *
 * @returns as `quickConnect`
 */
export async function quickHostConnect(options: QuickHostConnect): Promise<number | undefined> {
  const { command, environment, interrupts, name } = options
  const { hostContext, namespace } = await loadSettings(environment)
  await using composition = compose({
    environment,
    ui: { ...silentUi, note: (text) => void process.stderr.write(`${text}\n`) },
    hostContext,
    hostNamespace: namespace,
  })
  const kubeconfig = await keptKubeconfig()
  return kubeconfig === undefined
    ? interrupts.exitCode
    : await runQuickly({ command, environment, interrupts, kubeconfig })

  async function keptKubeconfig(): Promise<string | undefined> {
    try {
      const found = await resolvePlane(composition, { name })
      const access = await openQuickly(composition, { ...found, isHeld: true })
      const user = access && ({ kind: 'embedded', access } as const)
      return moreToIt.isWanted
        ? undefined
        : user && composition.contexts.render({ plane: found.plane, endpoint: access, user })
    } catch (error) {
      // The framework meets it too, and knows how to say it.
      if (error instanceof VplaneError) {
        return undefined
      }
      throw error
    }
  }
}
