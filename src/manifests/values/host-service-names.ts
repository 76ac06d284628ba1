export interface HostServiceNames {
  /** Services of the host by their names in the plane, each as `service.namespace`. */
  services: Readonly<Record<string, string>>
  clusterDomain: string
  hostClusterDomain: string
}

/** What CoreDNS is told of Services of the host that have a name in the plane; nothing where there is none. */
export function hostServiceNames({
  clusterDomain,
  hostClusterDomain,
  services,
}: HostServiceNames): string {
  return Object.keys(services)
    .toSorted()
    .map((name) => {
      const virtual = `${name}.svc.${clusterDomain}`
      return `${virtual}:1053 {
    errors
    rewrite name exact ${virtual} ${services[name]}.svc.${hostClusterDomain} answer auto
    forward . /etc/resolv.conf
    cache 30
}
`
    })
    .join('')
}
