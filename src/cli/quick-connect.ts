import { keptKubeconfig } from '../compose/kept-kubeconfig.ts'
import { isName } from '../control-plane/names.ts'
import { processEnvironment } from '../shared/environment.ts'
import { VplaneError } from '../shared/errors.ts'
import { pathsOf } from '../shared/paths.ts'
import { hasKubectl } from './has-kubectl.ts'
import { listenForInterrupts } from './interrupts.ts'
import { runWithKubeconfig } from './run-with-kubeconfig.ts'

/**
 * `connect NAME -- CMD...` for a local plane that runs, without the framework, which takes longer to load than all the
 * rest. It looks in the local driver alone: there is no other yet that could know NAME as well.
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
  const kubeconfig = await keptKubeconfig(pathsOf(environment), { name, now: new Date() })
  if (kubeconfig === undefined) {
    return interrupts.exitCode
  }
  let isStarted = false
  const aside = () => {
    isStarted = true
    return interrupts.standAside()
  }
  try {
    const { signal } = interrupts
    const ownInterrupts = { signal, standAside: aside }
    return await runWithKubeconfig({
      command,
      environment,
      kubeconfig,
      interrupts: ownInterrupts,
    })
  } catch (error) {
    // A VplaneError says that there is no such command: the framework says so in its own words.
    if (isStarted && !(error instanceof VplaneError)) {
      throw error
    }
    return interrupts.exitCode
  }
}
