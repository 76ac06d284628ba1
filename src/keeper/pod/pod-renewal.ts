import { renewDueLeaves } from '../../drivers/kubernetes/certificates/renew-plane-leaves.ts'
import { LeafRenewal } from '../duties/leaf-renewal.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'
import { readCertificates } from './read-certificates.ts'

/** Renews certificates of the plane beside which this pod runs. */
export function podRenewal({ host, namespace, now, report, settings }: PodWorld): LeafRenewal {
  const { plane: name, planeId: id } = settings
  const options = { id, place: { name, namespace }, now }
  return new LeafRenewal({
    certificates: () => readCertificates(PKI_FOLDER),
    renew: (signal) => renewDueLeaves(host, options, signal),
    report,
    now,
  })
}
