/** The beginning of a peer that is a namespace of the host: `namespace/databases`. */
export const NAMESPACE_PEER = 'namespace/'

/**
 * Never a peer: link-local addresses, where clouds have the credentials of nodes, and other addresses of that kind.
 *
 * - `fd00:ec2::254` is EC2's (docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html).
 * - `168.63.129.16` is Azure's (learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 * - `64:ff9b::/96` has all IPv4 addresses where a network translates them (RFC 6052).
 */
export const NEVER_PEERS = [
  '169.254.0.0/16',
  '168.63.129.16/32',
  'fe80::/10',
  'fd00:ec2::254/128',
  '64:ff9b::a9fe:0/112',
  '64:ff9b::a83f:8110/128',
]
