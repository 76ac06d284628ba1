import { processEnvironment } from '../../../src/shared/environment.ts'
import { canRunLab, startLab } from '../lab.ts'
import { labsAtOnce, namedLabs } from './shared-labs.ts'

/** Starts the host clusters that all files of tests share, unless there are some to use, or none to be had. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const environment = processEnvironment()
  const hasExternal = (environment['VPLANE_TEST_KUBECONFIG'] ?? '') !== ''
  if (hasExternal || namedLabs(environment).length > 0 || canRunLab() !== undefined) {
    return undefined
  }
  await using failed = new AsyncDisposableStack()
  // The first one builds what all of them need.
  const labs = []
  for (let started = 0; started < labsAtOnce(environment); started += 1) {
    labs.push(failed.use(await startLab()))
  }
  process.env['VPLANE_TEST_LAB'] = labs.map(({ name }) => name).join(',')
  const all = failed.move()
  return async () => {
    delete process.env['VPLANE_TEST_LAB']
    await all.disposeAsync()
  }
}
