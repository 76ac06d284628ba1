import { Flags } from '@oclif/core'
import { hostClusterFlags } from './host-cluster-flags.ts'

/** The flags that name an operator. */
export const operatorFlags = {
  namespace: Flags.string({
    char: 'n',
    summary: 'Namespace of the operator.',
    helpValue: 'NAMESPACE',
    default: 'vplane-system',
  }),
  ...hostClusterFlags(),
}
