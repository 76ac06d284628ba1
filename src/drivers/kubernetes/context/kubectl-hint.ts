import { shellWord } from '../../../shared/text/shell-word.ts'

/** Where commands of a hint are to work. */
export interface CommandPlace {
  namespace: string
  /** Context of the host cluster; without it the hint relies on the current one. */
  hostContext?: string | undefined
}

/** A kubectl command that works in a host namespace, to be pasted: `kubectl -n team-a get pods`. */
export function kubectl({ hostContext, namespace }: CommandPlace, words: string): string {
  return `${clusterKubectl({ hostContext })} -n ${namespace} ${words}`
}

/** The beginning of a kubectl command for the host cluster. */
export function clusterKubectl({ hostContext }: { hostContext?: string | undefined }): string {
  return hostContext === undefined ? 'kubectl' : `kubectl --context ${shellWord(hostContext)}`
}
