import { hasCachedHostAccess } from '../../compose/access/access-path.ts'
import { cachedKubeconfig } from '../../compose/access/cached-kubeconfig.ts'
import { isName } from '../../control-plane/plane/names.ts'
import { processEnvironment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import { pathsOf } from '../../shared/paths.ts'
import { isOnPath } from '../processes/is-on-path.ts'
import { listenForInterrupts } from '../processes/interrupts.ts'
import { runWithKubeconfig } from '../processes/run-with-kubeconfig.ts'

/**
 * `connect NAME -- CMD...` for a plane that runs, without the framework, which takes longer to load than all the rest.
 * Asks drivers only if this user has used a plane of the same name in a host cluster, else it reads cached credentials.
 * Undefined when the command was not started: the framework takes over.
 */
export async function fastConnect(argv: readonly string[]): Promise<number | undefined> {
  const [word, name = '', dashes, ...command] = argv
  const environment = processEnvironment()
  const isPlain = word === 'connect' && isName(name) && dashes === '--' && command.length > 0
  if (!isPlain || !isOnPath('kubectl', environment)) {
    return undefined
  }
  using interrupts = listenForInterrupts(process)
  const { signal } = interrupts
  let isStarted = false
  const standAside = () => {
    isStarted = true
    return interrupts.standAside()
  }
  const run = (kubeconfig: string) =>
    runWithKubeconfig({ command, kubeconfig, environment, interrupts: { signal, standAside } })
  try {
    const paths = pathsOf(environment)
    if (hasCachedHostAccess(paths, name)) {
      const { withKubeconfig } = await import('./with-planes.ts')
      return (await withKubeconfig(name, run)) ?? interrupts.exitCode
    }
    const kubeconfig = await cachedKubeconfig(paths, { name, now: new Date() })
    return kubeconfig === undefined ? interrupts.exitCode : await run(kubeconfig)
  } catch (error) {
    // A VplaneError means that the command cannot be started: the framework reports it.
    if (isStarted && !(error instanceof VplaneError)) {
      throw error
    }
    return interrupts.exitCode
  }
}
