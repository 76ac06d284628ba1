// A client that lives for long and rests in between: for each SIGUSR1 it asks for the namespaces, by a new connection, and
// prints "answered" or what went wrong, with a number.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return err
	}
	var connections connections
	config.Dial = connections.dial
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	fmt.Println("ready")
	for number := 1; ; number++ {
		<-asked
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		cancel()
		connections.close()
		if err != nil {
			fmt.Println(number, "failed:", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println(number, "answered")
		}
	}
}

// client-go keeps connections for ever, and a tunnel that has one is not idle.
type connections struct {
	mutex sync.Mutex
	open  []net.Conn
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.open = append(c.open, connection)
	}
	return connection, err
}

func (c *connections) close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, connection := range c.open {
		connection.Close()
	}
	c.open = nil
}
