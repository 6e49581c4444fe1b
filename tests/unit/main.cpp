#define BOOST_TEST_MODULE quern
#include <boost/test/unit_test.hpp>
