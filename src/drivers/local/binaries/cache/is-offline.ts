import type { Environment } from '../../../../shared/environment.ts'

/** Whether the user wants no network. */
export function isOffline(environment: Environment): boolean {
  return !['', '0', 'false', undefined].includes(environment['VPLANE_OFFLINE'])
}
