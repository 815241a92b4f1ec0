// Command bare is the baseline of a start: Echo and a new SQLite file, nothing else. It prints one line with its
// address, serves until it is killed, and promises nothing more.
//
// Only build/bench runs it. It never becomes part of the product.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/labstack/echo/v4"
	_ "github.com/mattn/go-sqlite3" // the driver that the product uses
)

func main() {
	db, err := sql.Open("sqlite3", "file:"+os.Args[1]+"?_journal_mode=WAL&_synchronous=FULL")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE one (n INTEGER)"); err != nil {
		log.Fatal(err)
	}
	e := echo.New()
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok") })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("{\"url\":\"http://%s\"}\n", listener.Addr())
	log.Fatal(http.Serve(listener, e))
}
