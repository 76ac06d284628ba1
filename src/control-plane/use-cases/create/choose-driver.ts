import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { Driver } from '../../driver/driver.ts'
import type { DriverName } from '../../spec/driver-name.ts'

export interface DriverChoice {
  /** What the user set by flag, variable or config. */
  wanted?: DriverName | undefined
  /** The current context of the kubeconfig, or the host context behind it when vplane wrote it. */
  hostContext?: string | undefined
}

/**
 * Chooses and reports the driver: the wanted one, else `kubernetes` with a current host context, else `local`.
 * @throws {VplaneError} `UNSUPPORTED` when this vplane does not have the driver.
 */
export function chooseDriver(
  { drivers, ui }: { drivers: readonly Driver[]; ui: Ui },
  { hostContext, wanted }: DriverChoice,
): Driver {
  if (wanted !== undefined) {
    const named = drivers.find(({ name }) => name === wanted)
    if (named === undefined) {
      throw new VplaneError('UNSUPPORTED', `this vplane has no driver "${wanted}"`, {
        hints: drivers.map(({ name }) => ({ driver: name })),
      })
    }
    return named
  }
  const onHost = drivers.find(({ name }) => name === 'kubernetes')
  if (onHost !== undefined && hostContext !== undefined) {
    ui.note(`Using driver kubernetes on the host context "${hostContext}"`, {
      purpose: 'to run it here',
      driver: 'local',
    })
    return onHost
  }
  const here = drivers.find(({ name }) => name === 'local')
  if (here === undefined) {
    throw new VplaneError('UNSUPPORTED', 'no driver can run a control plane here', {
      hints: [
        'on Windows run vplane in WSL 2',
        'or choose a host cluster: kubectl config use-context NAME',
      ],
    })
  }
  if (onHost !== undefined) {
    ui.note('Using driver local: the kubeconfig has no current host context.')
  }
  return here
}
