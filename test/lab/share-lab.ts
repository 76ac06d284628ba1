import { processEnvironment } from '../../src/shared/environment.ts'
import { canRunLab, startLab } from './lab.ts'

/** Starts the host cluster that all files of tests share, unless there is one to use, or none to be had. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const environment = processEnvironment()
  const named = ['VPLANE_TEST_KUBECONFIG', 'VPLANE_TEST_LAB'].some(
    (name) => (environment[name] ?? '') !== '',
  )
  if (named || canRunLab() !== undefined) {
    return undefined
  }
  const lab = await startLab()
  process.env['VPLANE_TEST_LAB'] = lab.name
  return async () => {
    delete process.env['VPLANE_TEST_LAB']
    await lab[Symbol.asyncDispose]()
  }
}
