/** The address of this machine in the network of the host cluster's nodes. */
export function machineAddress(kubeconfig: string): string {
  const [, network = '127.0.0'] = /server: "?https:\/\/(\d+\.\d+\.\d+)\./.exec(kubeconfig) ?? []
  return `${network}.1`
}
