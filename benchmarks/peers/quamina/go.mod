module penstock.benchmarks/quamina

go 1.22

require quamina.net/go/quamina/v2 v2.0.2
