import { shellWord } from '../../shared/text/shell-word.ts'
import type { PlaneReference } from './plane.ts'

/** The words that name a plane on the command line: `dev --namespace team-a`. */
export function wordsOf(plane: PlaneReference): string {
  return plane.namespace === undefined ? plane.name : `${plane.name} ${flagsOf(plane)}`
}

/** The flags by which a plane is moved to a place. */
export function moveFlagsOf({ driver, hostContext, namespace }: PlaneReference): string {
  const host = hostContext === undefined ? '' : `--to-context ${shellWord(hostContext)} `
  return namespace === undefined ? `--to-driver ${driver}` : `${host}--to-namespace ${namespace}`
}

/** The flags that tell a plane from others of its name; its host context is needed only when there are several. */
export function flagsOf(
  { driver, hostContext, namespace }: PlaneReference,
  { withHost = false }: { withHost?: boolean } = {},
): string {
  const host =
    withHost && hostContext !== undefined ? ` --host-context ${shellWord(hostContext)}` : ''
  return `${namespace === undefined ? `--driver ${driver}` : `--namespace ${namespace}`}${host}`
}

/** Where a plane is, in words. */
export function placeOf({ driver, hostContext, namespace }: PlaneReference): string {
  const parts = [
    `driver ${driver}`,
    ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
    ...(hostContext === undefined ? [] : [`host context ${hostContext}`]),
  ]
  return parts.join(', ')
}
