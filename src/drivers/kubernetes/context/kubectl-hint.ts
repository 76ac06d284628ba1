import { shellWord } from '../../../shared/text/shell-word.ts'

export interface CommandPlace {
  namespace: string
  /** Context of the host cluster; without it the hint relies on the current one. */
  hostContext?: string | undefined
}

/** Returns a kubectl command for a host namespace that users can paste: `kubectl -n team-a get pods`. */
export function kubectl({ hostContext, namespace }: CommandPlace, words: string): string {
  return `${clusterKubectl({ hostContext })} -n ${namespace} ${words}`
}

/** The beginning of a kubectl command for the host cluster. */
export function clusterKubectl({ hostContext }: { hostContext?: string | undefined }): string {
  return hostContext === undefined ? 'kubectl' : `kubectl --context ${shellWord(hostContext)}`
}
