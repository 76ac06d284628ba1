import { hasKeptHostAccess } from '../../compose/access/has-kept-host-access.ts'
import { keptKubeconfig } from '../../compose/access/kept-kubeconfig.ts'
import { isName } from '../../control-plane/plane/names.ts'
import { processEnvironment } from '../../shared/environment.ts'
import { pathsOf } from '../../shared/paths.ts'
import { hasKubectl } from '../processes/has-kubectl.ts'
import { listenForInterrupts } from '../processes/interrupts.ts'
import { runQuickly } from '../processes/run-quickly.ts'

/**
 * `connect NAME -- CMD...` for a plane that runs, without the framework, which takes longer to load than all the rest.
 *
 * For a local plane it looks no further than at what is kept, unless this user has used a plane of the same name in a host
 * cluster as well: then all drivers are asked.
 *
 * @returns the exit code of the command; undefined when nothing was done, because there is more to it: a plane that
 * rests, a flag, a mistake. The framework takes it from there.
 */
export async function quickConnect(argv: readonly string[]): Promise<number | undefined> {
  const [word, name = '', dashes, ...command] = argv
  const environment = processEnvironment()
  const isPlain = word === 'connect' && isName(name) && dashes === '--' && command.length > 0
  if (!isPlain || !hasKubectl(environment)) {
    return undefined
  }
  using interrupts = listenForInterrupts(process)
  const paths = pathsOf(environment)
  if (hasKeptHostAccess(paths, name)) {
    const { quickHostConnect } = await import('./quick-ways.ts')
    return await quickHostConnect({ name, command, environment, interrupts })
  }
  const kubeconfig = await keptKubeconfig(paths, { name, now: new Date() })
  return kubeconfig === undefined
    ? interrupts.exitCode
    : await runQuickly({ command, environment, interrupts, kubeconfig })
}
