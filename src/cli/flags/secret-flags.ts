import { Flags } from '@oclif/core'
import { CREDENTIAL_FORMATS } from '../../control-plane/spec/credentials/credentials-spec.ts'
import type { SecretPlace } from '../../control-plane/use-cases/connect/write-credential.ts'
import { VplaneError } from '../../shared/errors.ts'
import { inHelpGroup, yesFlag } from './flags.ts'
import type { Given } from './given-flags.ts'

const IN_SECRET = { dependsOn: ['secret'] }

/** The flags of a Secret with a credential that is renewed. */
export const secretFlags = inHelpGroup('Secrets that are renewed', {
  secret: Flags.custom<SecretPlace>({
    summary: 'Writes the credential into this Secret of the host cluster, and renews it there.',
    helpValue: '[NAMESPACE/]NAME',
    parse: async (text) => parseSecret(text),
    exclusive: ['embed-credentials', 'server', 'local-port', 'address', 'idle-timeout'],
  })(),
  'secret-format': Flags.option({
    summary: 'A kubeconfig for Flux or Cluster API, a cluster of Argo CD, or files to be mounted.',
    options: CREDENTIAL_FORMATS,
    ...IN_SECRET,
  })(),
  exposed: Flags.boolean({
    summary: 'Uses the address outside of the host cluster, instead of the one inside.',
    ...IN_SECRET,
  }),
  'print-grant': Flags.boolean({
    summary: 'Only prints the objects by which another namespace permits it.',
    ...IN_SECRET,
  }),
  yes: yesFlag(),
})

export type GivenSecretFlags = Given<typeof secretFlags>

function parseSecret(text: string): SecretPlace {
  const [, namespace, name = ''] =
    /^(?:([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\/)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/.exec(text) ?? []
  if (name === '') {
    throw new VplaneError('USAGE', `"${text}" is not the name of a Secret`, {
      hints: ['--secret NAMESPACE/NAME'],
    })
  }
  return { name, namespace }
}
